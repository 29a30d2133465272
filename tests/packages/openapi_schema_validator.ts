export * from "npm:@seriousme/openapi-schema-validator@2.11.0";
