export * from "./plain.js"
export { dashboardStoreContract } from "./DashboardStoreContract.js"
