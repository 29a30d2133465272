import type { Opened, Stack } from "./stack.ts";
export function openMetaMorph(_opened: Opened): Stack | null {
  return null;
}
