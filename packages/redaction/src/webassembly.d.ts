/** What is used of WebAssembly, whose types are otherwise part of those of browsers. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  const Module: new (bytes: Uint8Array) => object
  class Instance<Exports> {
    constructor(module: object)
    readonly exports: Exports
  }
}
