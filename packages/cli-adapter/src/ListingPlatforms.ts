/** The platforms whose API lists calls. */
export const LISTING_PLATFORM_NAMES = [
  "vapi",
  "retell",
  "elevenlabs",
  "provider_a",
  "provider_b",
  "provider_f"
] as const
