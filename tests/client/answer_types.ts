/**
 * The client module states its types by itself, since its declarations import nothing. `deno check` compares them with the
 * schemas here: an error names the fields that differ.
 */
import type { z } from "zod";
import type * as http from "../../schemas/http.ts";
import type { ErrorCode } from "../../schemas/served.ts";
import type * as client from "../../static/client/v2/acq-client.ts";

interface OfClient {
  Health: client.Health;
  Capabilities: client.Capabilities;
  OpenResponse: client.OpenResponse;
  SessionInfo: client.SessionInfo;
  MetadataDocuments: client.MetadataDocument[];
  ListResponse: client.FolderListing;
  ExportState: client.ExportState;
  ValidationDetail: client.ValidationDetail;
  code: Literal<client.AcqErrorCode>;
}

interface OfSchemas {
  Health: z.output<typeof http.Health>;
  Capabilities: z.output<typeof http.Capabilities>;
  OpenResponse: z.output<typeof http.OpenResponse>;
  SessionInfo: z.output<typeof http.SessionInfo>;
  MetadataDocuments: z.output<typeof http.MetadataDocuments>;
  ListResponse: z.output<typeof http.ListResponse>;
  ExportState: z.output<typeof http.ExportState>;
  ValidationDetail: z.output<typeof http.ValidationDetail>;
  code: ErrorCode | "server_unreachable" | "no_acq_server" | "wrong_size";
}

/** Answers and codes have the same fields with the same types. */
export type SameAnswers = Empty<Difference<OfClient, OfSchemas>>;

/** Only a field that the server always sends is required in the client; others may be absent in older servers. */
export type RequiredOnly = Empty<OfSchemas extends OfClient ? never : "a field of the schema is optional">;

type Order = z.input<typeof http.ExportRequest>;
type Member = Order["members"][number];

/** Fields that the client declares as any object, for the server to check. */
type Unchecked = "rois" | "axisDisplay" | "experimentMetadata" | "imageMetadata" | "analyses";

/** What the client sends for an archive; `signal` and `sessionId` do not go into the body. */
export type SameRequest = Empty<
  | Difference<Omit<client.ExportOptions, "signal" | "sessionId">, Omit<Order, "members">>
  | Difference<Omit<client.ExportMember, Unchecked>, Omit<Member, Unchecked>>
  | Exclude<keyof Member, keyof client.ExportMember>
>;

/** Fails the check unless a type is `never`. */
type Empty<Names extends never> = Names;

/** Paths of the fields that differ in name or type, whether or not they are optional. */
type Difference<A, B> = Differing<Full<A>, Full<B>>;

type Differing<A, B, Path extends string = ""> = Equal<A, B> extends true ? never
  : [A, B] extends [readonly (infer ItemA)[], readonly (infer ItemB)[]] ? Differing<ItemA, ItemB, `${Path}[]`>
  : [A, B] extends [object, object] ? {
      [Name in (keyof A | keyof B) & string]: Name extends keyof A & keyof B
        ? Differing<A[Name], B[Name], `${Path}.${Name}`>
        : `${Path}.${Name}`;
    }[(keyof A | keyof B) & string]
  : Path;

type Full<T> = T extends object ? { [Name in keyof T]-?: Full<Exclude<T[Name], undefined>> } : T;

/** Whether two types are identical, not only assignable to each other. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** A union without its member that stands for all strings. */
type Literal<T> = T extends unknown ? string extends T ? never : T : never;
