export * from "./plain.js"
export { checkoutStoreContract } from "./CheckoutStoreContract.js"
export { codeHostContract, type CodeHostWorld, hostileNames, isHarmless } from "./CodeHostContract.js"
