/** Reading of protobuf messages with the reader of `@bufbuild/protobuf`. What is malformed throws, as in that reader. */
import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire"

/** Reads the fields of a message that ends at `end`; `read` returns false for a field that it does not know. */
export const readMessage = (
  reader: BinaryReader,
  end: number,
  read: (field: number, type: WireType) => boolean | undefined
): void => {
  while (reader.pos < end) {
    const [field, type] = reader.tag()
    if (read(field, type) === false) reader.skip(type, field)
  }
  if (reader.pos !== end) fail("a field ends after its message")
}

/** Ends the reading, as the library's reader does. */
const fail = (reason: string): never => {
  // eslint-disable-next-line earshot/restricted-syntax -- caught by those who decode, with what the library's reader throws
  throw new RangeError(reason)
}

/** The end of the message, text or bytes that begins here, which has to be within the one around it. */
export const endOfPart = (reader: BinaryReader, end: number): number => {
  const length = reader.uint32()
  if (length > end - reader.pos) fail("premature end")
  return reader.pos + length
}

export const isPart = (type: WireType): boolean => type === WireType.LengthDelimited
