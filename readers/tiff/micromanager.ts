import type { Opened, Stack } from "./stack.ts";
export function openMicroManager(_opened: Opened): Stack | null {
  return null;
}
