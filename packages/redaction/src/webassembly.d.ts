/** What is used of WebAssembly, whose types are otherwise part of those of browsers. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Module {
    constructor(bytes: Uint8Array)
    static exports(module: Module): ReadonlyArray<{ readonly name: string }>
  }
  class Instance<Exports> {
    constructor(module: Module)
    readonly exports: Exports
  }
}
