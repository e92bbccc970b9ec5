/** A file of a multipart body. A class, so that JSON input cannot be mistaken for one. */
export class Upload {
  constructor(
    readonly bytes: Uint8Array,
    /** As declared by the client; not trusted. */
    readonly contentType: string,
    readonly filename: string
  ) {}
}
