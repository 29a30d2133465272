import { DecodeFailed } from "../errors.ts";
import type { OpenAcquisition } from "../reader.ts";

/** Opens an acquisition of this format. */
export const open: OpenAcquisition = () => Promise.reject(new DecodeFailed("no reader"));
