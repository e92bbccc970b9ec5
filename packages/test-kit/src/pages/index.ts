export { type PagedList, pageProperties, type PageOfIds } from "./PageLaws.js"
