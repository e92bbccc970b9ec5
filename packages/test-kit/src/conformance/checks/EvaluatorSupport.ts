/** What the checks of evaluators share. */
import { bodyOf, instant, int, type Kind, object, orNull, text } from "../Expect.js"
import { type Fixture, PATHS } from "../Fixture.js"

/** Source: interface, Test profile. */
export const profileShape: Readonly<Record<string, Kind>> = {
  id: int,
  name: text,
  project: int,
  agent: orNull(int),
  agent_name: orNull(text),
  information: object,
  created_by: orNull(int),
  last_updated_by: orNull(int),
  created_at: instant,
  updated_at: instant
}

export const read = async (fixture: Fixture, id: number) => bodyOf(await fixture.get(`${PATHS.evaluators}${id}/`), 200)
