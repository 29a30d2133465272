export * from "npm:geotiff@3.0.5";
