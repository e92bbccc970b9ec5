/** What `bin.ts` loads of the server: listed here, since a dynamic import of a whole package loads all of it. */
export { layer } from "@earshot/http-adapter"
