/** Repeatable normal deviates (Box and Muller, over a linear congruential generator). */
export function noise(seed: number): { uniform(): number; normal(): number } {
  const uniform = () => ((seed = (seed * 1664525 + 1013904223) >>> 0) + 0.5) / 2 ** 32;
  return { uniform, normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()) };
}
