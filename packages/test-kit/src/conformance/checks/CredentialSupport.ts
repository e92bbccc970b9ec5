/** Milliseconds that a server's clock may be off from this one's for the check of expiry to hold. */
export const CLOCK_TOLERANCE = 500
