export { encodeProject, Project, type ProjectDraft, type ProjectPatch } from "./Project.js"
export { Projects } from "./Projects.js"
export { ProjectStore } from "./ProjectStore.js"
