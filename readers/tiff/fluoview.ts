import type { Opened, Stack } from "./stack.ts";
export function openFluoView(_opened: Opened): Stack | null {
  return null;
}
