/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/** A decode worker whose TIFF reader lacks planes. */
import "./incomplete_tiff.ts";
import "../../session/worker/acquisition_worker.ts";
