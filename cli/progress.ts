/** A line about the progress of a command on standard error. */

const PROGRESS_MS = 500;

/**
 * Shows a line from time to time, which the next one overwrites on a terminal, and the last one at the end. Without a
 * terminal, only the last one.
 */
export function showProgressLine(isQuiet: boolean): (line: string, isEnd: boolean) => void {
  const isTerminal = Deno.stderr.isTerminal();
  let [shown, longest] = [performance.now(), 0];
  return (line, isEnd) => {
    const now = performance.now();
    if (isQuiet || !isEnd && (!isTerminal || now - shown < PROGRESS_MS)) return;
    shown = now;
    longest = Math.max(longest, line.length);
    const text = isTerminal ? `\r${line.padEnd(longest)}${isEnd ? "\n" : ""}` : `${line}\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  };
}
