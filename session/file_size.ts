const UNITS = ["KB", "MB", "GB", "TB"];

/** A size in decimal units, one decimal below 10: `814 bytes`, `4.8 MB`, `17 MB`. */
export function formatFileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let value = bytes / 1000;
  let unit = 0;
  // From 999.5 on, the value would be rounded to 1000.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
