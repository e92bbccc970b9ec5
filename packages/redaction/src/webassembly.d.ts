/** What is used of WebAssembly, whose types are otherwise part of those of browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Instance {
    constructor(module: Module)
    readonly exports: Exports
  }
  type Exports = Readonly<Record<string, unknown>>
}
