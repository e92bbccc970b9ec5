export { type PagedList, pageProperties, type PageOfIds } from "./PageProperties.js"
