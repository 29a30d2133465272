import type { Codec } from "./codec.ts";
export const ccittRle: Codec = {
  title: "ccittRle",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
export const ccittGroup3: Codec = {
  title: "ccittGroup3",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
export const ccittGroup4: Codec = {
  title: "ccittGroup4",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
