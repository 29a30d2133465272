# Shows a dialog for the question in ACQ_SERVER_DIALOG and writes an object with the path as JSON.
# The script is passed as one argument: it must not contain double quotes, not even in comments.
$ErrorActionPreference = 'Stop'
# A policy of the machine can forbid all types but a few. The calls below would then fail one by one, with worse messages.
if ($ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {
  throw 'a policy of this machine runs scripts in Constrained Language Mode, which can show no window'
}
# Messages and the path are written as bytes: the console's own encoding depends on the country, and a program without a
# console cannot change it.
function Send($stream, $text) {
  $bytes = [System.Text.Encoding]::UTF8.GetBytes($text)
  $stream.Write($bytes, 0, $bytes.Length)
}
# In PowerShell 5.1, Windows Forms shows folders as a tree from 1999, without address bar, search and network places, so
# the file dialog is used for folders. Backticks stand for double quotes. The methods are in the order of shobjidl.h;
# those without parameters are never called.
$source = @'
using System;
using System.Runtime.InteropServices;
public static class AcqServerDialog {
  [ComImport, Guid(`DC1C5A9C-E88A-4DDE-A5A1-60F82A20AEF7`)]
  public class FileOpenDialog { }
  [ComImport, Guid(`43826D1E-E718-42EE-BC55-A1E261C37BFE`), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
  public interface IShellItem {
    void BindToHandler();
    void GetParent();
    [return: MarshalAs(UnmanagedType.LPWStr)] string GetDisplayName(uint form);
  }
  [ComImport, Guid(`42F85136-DB7E-439C-85F1-E4075D135FC8`), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
  public interface IFileDialog {
    [PreserveSig] int Show(IntPtr owner);
    void SetFileTypes();
    void SetFileTypeIndex();
    void GetFileTypeIndex();
    void Advise();
    void Unadvise();
    void SetOptions(uint options);
    uint GetOptions();
    void SetDefaultFolder();
    void SetFolder(IShellItem folder);
    void GetFolder();
    void GetCurrentSelection();
    void SetFileName();
    void GetFileName();
    void SetTitle([MarshalAs(UnmanagedType.LPWStr)] string title);
    void SetOkButtonLabel();
    void SetFileNameLabel();
    IShellItem GetResult();
  }
  [DllImport(`shell32.dll`, CharSet = CharSet.Unicode, PreserveSig = false)]
  static extern void SHCreateItemFromParsingName(string path, IntPtr context, ref Guid iid, out IShellItem item);
  [DllImport(`user32.dll`)]
  static extern bool SetProcessDpiAwarenessContext(IntPtr context);
  [DllImport(`user32.dll`)]
  static extern bool SetProcessDPIAware();
  public static void SeePixels() {
    try {
      // DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, since Windows 10 1703
      if (SetProcessDpiAwarenessContext(new IntPtr(-4))) return;
    } catch (EntryPointNotFoundException) { }
    SetProcessDPIAware();
  }
  public static string PickFolder(IntPtr owner, string title, string start) {
    var dialog = (IFileDialog)new FileOpenDialog();
    // FOS_NOCHANGEDIR, FOS_PICKFOLDERS, FOS_FORCEFILESYSTEM
    dialog.SetOptions(dialog.GetOptions() | 0x8 | 0x20 | 0x40);
    dialog.SetTitle(title);
    try {
      IShellItem folder;
      var iid = typeof(IShellItem).GUID;
      SHCreateItemFromParsingName(start, IntPtr.Zero, ref iid, out folder);
      dialog.SetFolder(folder);
    } catch (Exception) {
      // No folder was chosen before, or it is gone.
    }
    var result = dialog.Show(owner);
    // ERROR_CANCELLED
    if (result == unchecked((int)0x800704C7)) return null;
    Marshal.ThrowExceptionForHR(result);
    // SIGDN_FILESYSPATH
    return dialog.GetResult().GetDisplayName(0x80058000);
  }
}
'@
try {
  $ProgressPreference = 'SilentlyContinue'
  $question = $env:ACQ_SERVER_DIALOG | ConvertFrom-Json
  if (-not [Environment]::UserInteractive) { throw 'this session has no desktop' }
  $compiled = $true
  # If the compiler is forbidden, dialogs still work, but they are blurred and show folders as a tree.
  try { Add-Type -TypeDefinition $source.Replace('`', [string][char]34) } catch { $compiled = $false }
  # Called before the first window; otherwise Windows magnifies the windows on screens with small pixels.
  if ($compiled) { [AcqServerDialog]::SeePixels() }
  Add-Type -AssemblyName System.Windows.Forms
  [System.Windows.Forms.Application]::EnableVisualStyles()
  # This window is never shown. It is topmost, and so is the dialog that it owns.
  $owner = New-Object System.Windows.Forms.Form
  $owner.TopMost = $true
  $owner.ShowInTaskbar = $false
  $path = $null
  if ($question.folders -and $compiled) {
    $path = [AcqServerDialog]::PickFolder($owner.Handle, $question.title, $question.folder)
  } elseif ($question.folders) {
    $dialog = New-Object System.Windows.Forms.FolderBrowserDialog
    $dialog.Description = $question.title
    $dialog.ShowNewFolderButton = $false
    if ($question.folder) { $dialog.SelectedPath = $question.folder }
    if ($dialog.ShowDialog($owner) -eq 'OK') { $path = $dialog.SelectedPath }
  } else {
    $dialog = New-Object System.Windows.Forms.OpenFileDialog
    $dialog.Title = $question.title
    $dialog.Filter = $question.filter
    $dialog.Multiselect = $false
    if ($question.folder) { $dialog.InitialDirectory = $question.folder }
    if ($dialog.ShowDialog($owner) -eq 'OK') { $path = $dialog.FileName }
  }
  $owner.Dispose()
  Send ([Console]::OpenStandardOutput()) (@{ path = $path } | ConvertTo-Json -Compress)
} catch {
  Send ([Console]::OpenStandardError()) ($_.ToString())
  exit 1
}
