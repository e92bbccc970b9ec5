/** Milliseconds that a server's clock may be off from this one's for the check of expiry to hold. */
export const CLOCKS = 500
