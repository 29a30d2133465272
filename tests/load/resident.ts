/** Resident mebibytes of a process, on Linux. */
export function residentOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))!;
  return Number(kibibytes) / 1024;
}
