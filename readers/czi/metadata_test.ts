import { deepEqual, equal } from "node:assert/strict";
import { parseMetadata, splitSections } from "./metadata.ts";

const document = (inside: string) => `<ImageDocument><Metadata>${inside}</Metadata></ImageDocument>`;

const image = (inside: string) => document(`<Information><Image>${inside}</Image></Information>`);

Deno.test("names a channel by its display settings, its own name, its dye or its ID", () => {
  const { channels } = parseMetadata(document(
    `<Information><Image><Dimensions><Channels>` +
      `<Channel Id="Channel:0" Name="A"><Color>#FF00ff10</Color></Channel>` +
      `<Channel Id="Channel:1"><Name>B</Name><Color>#102030</Color></Channel>` +
      `<Channel Id="Channel:2" Name=""><Fluor>Alexa 488</Fluor></Channel>` +
      `<Channel Id="Channel:3"/><Channel Id="20034864191"/><Channel/>` +
      `</Channels></Dimensions></Image></Information>` +
      `<DisplaySetting><Channels><Channel Id="Channel:1" Name="Shown"><Color>#FFAABBCC</Color></Channel>` +
      `<Channel Id="other" Name="Nobody"/><Channel Id="Channel:3"><Color>red</Color></Channel></Channels></DisplaySetting>`,
  ));
  deepEqual(channels, [
    { name: "A", color: "#00ff10" },
    { name: "Shown", color: "#aabbcc" },
    { name: "Alexa 488", color: null },
    { name: null, color: null },
    { name: "20034864191", color: null },
    { name: null, color: null },
  ]);
});

Deno.test("joins as many display settings as channels by ID, then by name, then in order", () => {
  const joined = (channels: readonly string[], settings: readonly string[]) => {
    const { channels: named, warnings } = parseMetadata(document(
      `<Information><Image><Dimensions><Channels>${
        channels.join("")
      }</Channels></Dimensions></Image></Information>` +
        `<DisplaySetting><Channels>${settings.join("")}</Channels></DisplaySetting>`,
    ));
    return [...named.map(({ name, color }) => `${name} ${color}`), ...warnings.map(({ code }) => code)].join(
      ", ",
    );
  };
  const channel = (id: string, name = "") => `<Channel Id="${id}"${name && ` Name="${name}"`}/>`;
  const shown = (id: string, name: string, color: string) =>
    `<Channel Id="${id}" Name="${name}"><Color>#FF${color}</Color></Channel>`;
  const [a, b] = [channel("Channel:0"), channel("Channel:1")];
  const [green, red] = ["00FF00", "FF0000"];
  const cases: [channels: string[], settings: string[], expected: string][] = [
    [[a, b], [shown("7", "EGFP", green), shown("8", "DsRed", red)], "EGFP #00ff00, DsRed #ff0000"],
    [[a, b], [shown("", "EGFP", green), shown("", "DsRed", red)], "EGFP #00ff00, DsRed #ff0000"],
    // One of the two has the ID of the other channel.
    [[a, b], [shown("Channel:1", "DsRed", red), shown("7", "EGFP", green)], "EGFP #00ff00, DsRed #ff0000"],
    [
      [channel("1", "DsRed"), channel("2", "EGFP")],
      [shown("7", "EGFP", green), shown("8", "DsRed", red)],
      "DsRed #ff0000, EGFP #00ff00",
    ],
    [
      [channel("1", "Ch1"), b],
      [shown("7", "EGFP", green), shown("8", "DsRed", red)],
      "EGFP #00ff00, DsRed #ff0000, metadata_disagree",
    ],
    // Settings of another number of channels are not of these.
    [[a, b], [shown("7", "EGFP", green)], "null null, null null"],
    [[a], [shown("7", "EGFP", green), shown("8", "DsRed", red)], "null null"],
  ];
  for (const [channels, settings, expected] of cases) equal(joined(channels, settings), expected);
});

Deno.test("reads steps in metres for any display unit, and 0 as unknown", () => {
  const distance = (id: string, value: string) =>
    `<Distance Id="${id}"><Value>${value}</Value><DefaultUnitFormat>nm</DefaultUnitFormat></Distance>`;
  const items = distance("X", "4.39E-008") + distance("Y", "0") + distance("Z", "abc") + distance("X", "1");
  const { steps } = parseMetadata(document(`<Scaling><Items>${items}</Items></Scaling>`));
  deepEqual(steps, { X: { step: 4.39e-8 * 1e6, unit: "um" } });
});

Deno.test("takes the date of the acquisition, else of the document, and the year 1 as unknown", () => {
  const start = (value: string) => `<AcquisitionDateAndTime>${value}</AcquisitionDateAndTime>`;
  deepEqual(parseMetadata(image(start("2016-02-12T09:41:02.4915604Z"))).moment, {
    date: "20160212",
    time: "09:41:02",
  });
  const created = `<Document><CreationDate>2019-12-06T16:56:03-08:00</CreationDate></Document>`;
  deepEqual(
    parseMetadata(
      document(`<Information><Image>${start("0001-01-01T00:00:00")}</Image>${created}</Information>`),
    ).moment,
    { date: "20191206", time: "16:56:03" },
  );
  deepEqual(parseMetadata(document("")).moment, { date: "", time: "" });
});

Deno.test("takes the interval from the increment, else from the only one in the setup", () => {
  const setup = (value: string, unit = "min") =>
    `<TimeSeriesSetup><Interval><TimeSpan><Value>${value}</Value><DefaultUnitFormat>${unit}</DefaultUnitFormat>` +
    `</TimeSpan></Interval><Switch><Interval><TimeSpan><Value>7</Value></TimeSpan></Interval></Switch></TimeSeriesSetup>`;
  const helper = `<HelperSetups><Experiment>${setup("1")}</Experiment></HelperSetups>`;
  const of = (inside: string, rest = "") =>
    parseMetadata(document(`<Experiment>${inside}</Experiment>${rest}`)).interval([]);
  equal(of(helper + setup("60")), 60);
  equal(of(setup("0")), null);
  equal(of(setup("60") + setup("90")), null);
  equal(of("<damaged"), null);
  const increment = (value: string) =>
    `<Information><Image><Dimensions><T><Positions><Interval><Increment>${value}</Increment></Interval></Positions></T>` +
    `</Dimensions></Image></Information>`;
  equal(of(setup("60"), increment("2.5")), 2.5);
  equal(of(setup("60"), increment("0")), 60);
});

Deno.test("reads the scaling of the setup and the names of scenes by index", () => {
  const { setupScaling, sceneNames } = parseMetadata(document(
    `<Experiment><ScalingX/><ScalingX>2e-7</ScalingX><ScalingX>9</ScalingX><ScalingY>3e-7</ScalingY></Experiment>` +
      `<Information><Image><Dimensions><S><Scenes><Scene Index="4" Name="left"/><Scene><Name>second</Name></Scene>` +
      `<Scene Index="9"/></Scenes></S></Dimensions></Image></Information>`,
  ));
  deepEqual(setupScaling(), { x: 2e-7, y: 3e-7 });
  deepEqual([...sceneNames], [[4, "left"], [1, "second"]]);
  equal(parseMetadata(document("<Experiment><ScalingX>2e-7</ScalingX></Experiment>")).setupScaling(), null);
});

Deno.test("cuts sections out of the XML even if they are nested", () => {
  const experiment =
    `<Experiment a="&gt;"><b><Experiment/><Experiment>c</Experiment></b><Experiments/></Experiment>`;
  const hardware = `<HardwareSetting Id="1"><x/></HardwareSetting>`;
  deepEqual(splitSections(`<d>${experiment}<i/>${hardware}<Experiment>late</Experiment></d>`), {
    main: "<d><i/><Experiment>late</Experiment></d>",
    experiment,
  });
  // One that is not closed stays.
  const open = "<d><Experiment><a/></d>";
  deepEqual(splitSections(open), { main: open, experiment: "" });
  deepEqual(splitSections("<d><Experiment/></d>"), { main: "<d></d>", experiment: "<Experiment/>" });
});

Deno.test("takes the pixel time of the first channel that states it", () => {
  const pixelTime = (...times: string[]) => {
    const channels = times.map((time) => `<Channel><LaserScanInfo>${time}</LaserScanInfo></Channel>`).join(
      "",
    );
    return parseMetadata(image(`<Dimensions><Channels>${channels}</Channels></Dimensions>`)).pixelTime;
  };
  equal(pixelTime("", "<PixelTime>8.24E-06</PixelTime>", "<PixelTime>1E-06</PixelTime>"), 8.24e-6);
  equal(pixelTime("<PixelTime>0</PixelTime>", "<LineTime>0.001</LineTime>"), null);
});
