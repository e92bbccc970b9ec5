/** Builds the app into dist/app, unless it is there and no source has changed since. */
export declare const buildApp: () => Promise<void>
