/** Times and recordings of calls and runs as text. */

export const clockOf = (seconds: number | null | undefined): string => {
  if (seconds === null || seconds === undefined) return "--:--"
  const whole = Math.floor(seconds)
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`
}

/** What is known of the recording of a call or a run. */
interface RecordingFacts {
  readonly content_type: string
  readonly size_bytes: number
  readonly duration_s: number | null
  readonly channels: number | null
}

/** `audio/wav, 1:10, 2 channels, 560,044 bytes`; empty without a recording. */
export const describeRecording = (recording: RecordingFacts | null | undefined): string => {
  if (recording === null || recording === undefined) return ""
  const { channels, content_type: type, duration_s: seconds, size_bytes: bytes } = recording
  return [
    type,
    ...(seconds === null ? [] : [clockOf(seconds)]),
    ...(channels === null ? [] : [channels === 1 ? "1 channel" : `${channels} channels`]),
    `${bytes.toLocaleString("en-US")} bytes`
  ].join(", ")
}
