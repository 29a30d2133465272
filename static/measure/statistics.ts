/**
 * Intensity statistics of one plane, from all samples; NaN and infinities do not count.
 *
 * Percentiles are exact. One pass counts integers of 16 bits; other samples take two passes, whatever their
 * distribution: floats of one sign sort like their bits, so the upper 16 bits give the bucket of a rank and the lower
 * 16 bits the sample within it.
 */

/** Range that Auto sets, in percent of the samples. */
const AUTO_PERCENTILES = [1, 99.5];

/**
 * Smallest and largest sample and the requested percentiles, interpolated linearly between ranks.
 * All are 0 when no sample is finite.
 *
 * @param percentiles 0 to 100
 */
export function computePercentiles(
  samples: Float32Array,
  percentiles: readonly number[] = AUTO_PERCENTILES,
): {
  count: number;
  min: number;
  max: number;
  percentiles: number[];
} {
  const counts = countWholeNumbers(samples);
  const bits = new Uint32Array(samples.buffer, samples.byteOffset, samples.length);
  const upper = counts ?? countUpperBits(bits);
  // The number of finite samples.
  const count = counts === null ? upper.reduce((sum, part) => sum + part, 0) : samples.length;
  if (count === 0) return { count, min: 0, max: 0, percentiles: percentiles.map(() => 0) };
  const places = percentiles.map((percent) => (percent / 100) * (count - 1));
  const ranks = [0, count - 1, ...places.flatMap((place) => [Math.floor(place), Math.ceil(place)])];
  const values = counts === null
    ? findAtRanks(bits, upper, ranks)
    : new Map(ranks.map((rank) => [rank, findBucket(counts, rank).bucket]));
  const valueAt = (rank: number) => values.get(rank) ?? 0;
  return {
    count,
    min: valueAt(0),
    max: valueAt(count - 1),
    percentiles: places.map((place) => {
      const below = valueAt(Math.floor(place));
      return below + (valueAt(Math.ceil(place)) - below) * (place - Math.floor(place));
    }),
  };
}

/**
 * The range that Auto sets. Its ends always differ as float32, so that a flat plane can be drawn.
 *
 * @param stats with the percentiles {@linkcode AUTO_PERCENTILES}
 */
export function chooseAutoRange(
  stats: { min: number; max: number; percentiles: number[] },
): [number, number] {
  const [low = 0, high = 0] = stats.percentiles;
  if (Math.fround(high) > Math.fround(low)) return [low, high];
  if (stats.max > stats.min) return [stats.min, stats.max];
  return chooseDrawableRange(stats.min, stats.min + 1);
}

/** The largest finite float32. */
const LARGEST = (2 - 2 ** -23) * 2 ** 127;

/** Returns the nearest range with finite ends that differ as float32; keeps the lower end where possible. */
export function chooseDrawableRange(min: number, max: number): [number, number] {
  const inside = (value: number) => Math.min(LARGEST, Math.max(-LARGEST, value));
  const [low, high] = [inside(min), inside(max)];
  if (Math.fround(low) < Math.fround(high)) return [low, high];
  const next = Math.max(Math.fround(low) + Math.abs(low) * 2 ** -22, Math.fround(low) + 2 ** -126);
  return next <= LARGEST ? [low, next] : [LARGEST * (1 - 2 ** -22), LARGEST];
}

/** Samples per bin between `min` and `max` (the last bin includes `max`). */
export function countSamples(samples: Float32Array, min: number, max: number, bins: number): Uint32Array {
  const counts = new Uint32Array(bins);
  const scale = max > min ? bins / (max - min) : 0;
  for (let i = 0; i < samples.length; i += 1) {
    const value = samples[i]!;
    // False for NaN too.
    if (value >= min && value <= max) counts[Math.min(bins - 1, Math.floor((value - min) * scale))]! += 1;
  }
  return counts;
}

/** Unsigned integer that sorts like the float: flips the sign bit, or all bits of a negative number. */
const sortKey = (word: number) => (word & 0x80000000 ? ~word : word | 0x80000000) >>> 0;

/** The inverse of {@linkcode sortKey}, as a number. */
function fromSortKey(key: number) {
  const word = new Uint32Array([key & 0x80000000 ? key ^ 0x80000000 : ~key]);
  return new Float32Array(word.buffer)[0];
}

/** Counts each integer from 0 to 65535; null when there are other values. Most detectors have 8 to 16 bits. */
function countWholeNumbers(samples: Float32Array) {
  const counts = new Uint32Array(65536);
  for (let i = 0; i < samples.length; i += 1) {
    const value = samples[i]!;
    const whole = value & 0xffff;
    if (whole !== value) return null;
    counts[whole]! += 1;
  }
  return counts;
}

/** Finds the bucket of a rank, and the rank within the bucket. */
function findBucket(counts: Uint32Array, rank: number) {
  let before = 0;
  let bucket = 0;
  while (before + counts[bucket]! <= rank) before += counts[bucket++]!;
  return { bucket, within: rank - before };
}

/** Counts finite floats by their upper 16 bits. */
function countUpperBits(bits: Uint32Array) {
  const upper = new Uint32Array(65536);
  for (let i = 0; i < bits.length; i += 1) {
    const word = bits[i]!;
    // All exponent bits set: NaN or infinite.
    if ((word & 0x7f800000) === 0x7f800000) continue;
    upper[sortKey(word) >>> 16]! += 1;
  }
  return upper;
}

function findAtRanks(bits: Uint32Array, upper: Uint32Array, ranks: readonly number[]) {
  const wanted = [...new Set(ranks)].map((rank) => ({ rank, ...findBucket(upper, rank) }));
  const lower = new Map(wanted.map(({ bucket }) => [bucket, new Uint32Array(65536)]));
  const within = (bucket: number) => (lower.get(bucket) as Uint32Array);
  const isWanted = new Uint8Array(65536);
  for (const bucket of lower.keys()) isWanted[bucket] = 1;
  for (let i = 0; i < bits.length; i += 1) {
    const word = bits[i]!;
    if ((word & 0x7f800000) === 0x7f800000) continue;
    const key = sortKey(word);
    if (isWanted[key >>> 16] === 1) within(key >>> 16)[key & 0xffff]! += 1;
  }
  return new Map(wanted.map(({ rank, bucket, within: rest }) => {
    const low = findBucket(within(bucket), rest).bucket;
    return [rank, fromSortKey(((bucket << 16) | low) >>> 0)];
  }));
}
