/** examples/matlab in Octave against a server process. Skipped, with a line, where octave-cli or curl is not installed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { busyServer } from "./busy_server.ts";
import { expectedFile, firstPlanes, FIXTURES } from "../fixtures/expected.ts";
import { output, programTest } from "../programs.ts";

/** What other programs may answer, each below its number; `base` begins with how many there are. */
function otherPrograms() {
  const bodies = ["<html>", "", "[]", '"x"', "{}", '{"ok": true}', '{"error": {}}'];
  const answers = bodies.flatMap((body) => [200, 302, 404].map((status) => ({ body, status })));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    await request.text();
    const { body, status } = answers[Number(new URL(request.url).pathname.split("/")[1])]!;
    return new Response(body, { status });
  });
  return {
    base: `${answers.length} http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

programTest(["octave-cli", "curl"], {
  name: "octave: reads planes, positions, scenes and references, and handles errors and waiting",
  fn: async ([octave]) => {
    await using server = await ServerProcess.start(FROM_SOURCE);
    const of = /^POST \/api\/v2\/open$|\/channels\/0\/data/;
    await using busy = busyServer(server.baseUrl, { of, times: 2, retryAfter: 1 });
    await using others = otherPrograms();
    await using refusing = busyServer(server.baseUrl, { of, times: 2, retryAfter: null });
    await using stalling = busyServer(server.baseUrl, { of, times: 2, retryAfter: 3600 });
    const client = join(ROOT, "examples", "matlab");
    const script = join(ROOT, "tests", "clients", "octave_cases.m");
    const said = await output(octave!, [
      "--no-init-file",
      script,
      client,
      server.baseUrl,
      FIXTURES,
      busy.base,
      refusing.base,
      others.base,
      stalling.base,
    ]);
    const lines = said.trimEnd().split("\n").map((line) => JSON.parse(line));
    const [kind, planes, reference, path, axes, ofPlanes, ofOpens, stack, run, scene, waited] = lines;
    const { scenes: [scan], reference: overview } = expectedFile("oir", "line_scan.oir");
    const expected = firstPlanes(scan!);
    assert.deepEqual(kind, { class: "single", size: [40, 6] });
    assert.deepEqual(planes, expected);
    assert.deepEqual(reference, overview!.planes);
    // Pixels from 1: the line of the file is (1, 2) to (4, 6) from 0.
    assert.deepEqual([path[0], path.at(-1)], [[2, 3], [5, 7]]);
    assert.deepEqual(
      axes.map((axis: Record<string, unknown>) => [axis.name, axis.size, axis.step, axis.unit]),
      [["Y", 40, 0.002118, "seconds"], ["X", 6, 0.45, "um"]],
    );
    assert.deepEqual(ofPlanes, ["acq:channel_not_found", "acq:position_out_of_range"]);
    assert.deepEqual(ofOpens, ["acq:session_not_found", "acq:path_not_found", "acq:server_unreachable"]);
    const [series] = expectedFile("lsm", "series_tzc.lsm").scenes;
    const short = Object.entries(stack as Record<string, string>).map(([name, hash]) =>
      [name.slice(1).replace(/(\d+)_(\d+)_/, "$1,$2,0,"), hash.slice(0, 16)] as const
    );
    assert.deepEqual(Object.fromEntries(short), series!.planes);
    assert.deepEqual([run[1].slice(0, 16), run[2].slice(0, 16)], [
      series!.planes["0,1,0,1"],
      series!.planes[`${run[0] - 1},1,0,1`],
    ]);
    assert.deepEqual(run.slice(3), [
      "acq:unknown_option",
      "acq:unknown_option",
      "acq:position_out_of_range",
    ]);
    const { scenes } = expectedFile("nd2", "positions.nd2");
    assert.deepEqual([scene[0].slice(0, 16), scene[1]], [scenes[1]!.planes["1,0,0,0"], scenes.length]);
    const [ofWords, ofAddresses, ofOthers, messages] = lines.slice(11);
    const frames = Object.keys(scenes[0]!.planes).length;
    assert.deepEqual(messages, [
      `acq:scene_out_of_range There is no scene 9: indices go from 1 to ${scenes.length}`,
      "acq:scene_out_of_range There is no scene 0: indices start at 1",
      `acq:position_out_of_range There is no t 99: indices go from 1 to ${frames}`,
      `acq:position_out_of_range There is no t 0: indices go from 1 to ${frames}`,
    ]);
    assert.deepEqual(ofWords, [
      ...["acq:channel_not_found", "acq:channel_not_found"],
      ...["acq:unknown_option", "acq:unknown_option", "acq:unknown_option", "acq:unknown_option"],
    ]);
    assert.deepEqual(ofAddresses, ["acq:server_unreachable", "acq:server_unreachable", 0]);
    assert.deepEqual(ofOthers, ["acq:no_acq_server"]);
    assert.deepEqual(waited, [expected[0], "acq:too_many_opens", "acq:too_many_opens"]);
    for (const times of busy.asked.values()) {
      assert.equal(times.length, 3);
      for (const [i, at] of times.slice(1).entries()) assert(at - times[i]! >= 1000);
    }
    assert.equal(busy.asked.size, 2);
    for (const one of [refusing, stalling]) {
      assert.deepEqual([...one.asked.values()].map((times) => times.length), [1]);
    }
  },
});
