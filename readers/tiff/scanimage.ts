import type { Opened, Stack } from "./stack.ts";
export function openScanImage(_opened: Opened): Stack | null {
  return null;
}
