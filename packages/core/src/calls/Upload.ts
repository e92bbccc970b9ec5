/**
 * A file of a multipart body, as an adapter hands it over. A class, so that no JSON can pass for one.
 */
export class Upload {
  constructor(
    readonly bytes: Uint8Array,
    /** As the client declared it; what is in the bytes decides. */
    readonly contentType: string,
    readonly filename: string
  ) {}
}
