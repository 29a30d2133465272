# Shows a dialog for the question in ACQ_SERVER_DIALOG and writes an object with the path as JSON.
# Handed over as one argument: no double quotes in here, not even in comments.
$ErrorActionPreference = 'Stop'
# Words and path go out as bytes: the console's own encoding is that of the country, and a program without a
# console cannot change it.
function Send($stream, $text) {
  $bytes = [System.Text.Encoding]::UTF8.GetBytes($text)
  $stream.Write($bytes, 0, $bytes.Length)
}
trap {
  Send ([Console]::OpenStandardError()) ($_.ToString())
  exit 1
}
$ProgressPreference = 'SilentlyContinue'
$question = $env:ACQ_SERVER_DIALOG | ConvertFrom-Json
if (-not [Environment]::UserInteractive) { throw 'this session has no desktop' }
Add-Type -AssemblyName System.Windows.Forms
[System.Windows.Forms.Application]::EnableVisualStyles()
# A window that is never shown but lies on top hands that to the dialog which it owns.
$owner = New-Object System.Windows.Forms.Form
$owner.TopMost = $true
$owner.ShowInTaskbar = $false
if ($question.folders) {
  $dialog = New-Object System.Windows.Forms.FolderBrowserDialog
  $dialog.Description = $question.title
  $dialog.ShowNewFolderButton = $false
  if ($question.folder) { $dialog.SelectedPath = $question.folder }
} else {
  $dialog = New-Object System.Windows.Forms.OpenFileDialog
  $dialog.Title = $question.title
  $dialog.Filter = $question.filter
  $dialog.Multiselect = $false
  if ($question.folder) { $dialog.InitialDirectory = $question.folder }
}
$path = $null
if ($dialog.ShowDialog($owner) -eq [System.Windows.Forms.DialogResult]::OK) {
  if ($question.folders) { $path = $dialog.SelectedPath } else { $path = $dialog.FileName }
}
$dialog.Dispose()
$owner.Dispose()
Send ([Console]::OpenStandardOutput()) (@{ path = $path } | ConvertTo-Json -Compress)
