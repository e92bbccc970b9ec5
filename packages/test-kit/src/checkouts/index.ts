export * from "./plain.js"
export { checkoutStoreContract } from "./CheckoutStoreContract.js"
export { codeHostContract, type CodeHostFixture, hostileNames, isHarmless } from "./CodeHostContract.js"
