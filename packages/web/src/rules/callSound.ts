/** Plays the sound of a call as it arrives, the caller left and the agent right. */

/** Samples a second of telephone audio. */
const RATE = 8000

/** Seconds that are kept ready, so that late parts leave no gap. */
const DELAY = 0.3

/** The samples of mu-law codes, from -1 to 1 (ITU-T G.711). */
export const decodeMulaw = (base64: string): Float32Array<ArrayBuffer> => {
  const codes = atob(base64)
  const samples = new Float32Array(codes.length)
  for (let at = 0; at < codes.length; at++) {
    const code = ~codes.charCodeAt(at) & 0xff
    const magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4)
    samples[at] = ((code & 0x80) === 0 ? magnitude - 0x84 : 0x84 - magnitude) / 32_768
  }
  return samples
}

/** When a part begins to play: behind the one before, or anew after a gap. */
export const startOf = (now: number, until: number): number => (until < now ? now + DELAY : until)

export const makeCallSound = () => {
  const context = new AudioContext()
  let until = 0
  return {
    play: ({ agent, caller }: { readonly agent: string; readonly caller: string }): void => {
      const sides = [decodeMulaw(caller), decodeMulaw(agent)]
      const buffer = context.createBuffer(2, sides[0]?.length ?? 0, RATE)
      for (const [side, samples] of sides.entries()) buffer.copyToChannel(samples, side)
      const source = context.createBufferSource()
      source.buffer = buffer
      source.connect(context.destination)
      const start = startOf(context.currentTime, until)
      source.start(start)
      until = start + buffer.duration
    },
    close: (): void => {
      void context.close()
    }
  }
}
