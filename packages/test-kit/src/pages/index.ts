export { type PagedList, pageLaws, type PageOfIds } from "./PageLaws.js"
