/** All measurements of bands of line scans, as measurement.ts defines them. */
import { DIAMETER } from "./diameter/mod.ts";
import { EVENTS } from "./events/mod.ts";
import { FLUX } from "./flow/flux_measurement.ts";
import { VELOCITY } from "./flow/mod.ts";
import type { Measurement } from "./measurement.ts";
import { SPARKS } from "./sparks/mod.ts";

/** All measurements, in the order of the page. */
export const MEASUREMENTS: readonly Measurement[] = [VELOCITY, EVENTS, DIAMETER, FLUX, SPARKS];
