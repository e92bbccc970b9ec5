import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { agentsQuery } from "../api/calls.js"

/** The agents, the one that is chosen (the first at the beginning), and the control that chooses another. */
export const useChosenAgent = () => {
  const query = useQuery(agentsQuery)
  const [agent, setAgent] = useState<number>()
  const chosen = agent ?? query.data?.[0]?.id
  const select = (
    <select
      className="input speed"
      aria-label="Agent"
      value={chosen ?? ""}
      onChange={(event) => {
        setAgent(Number(event.target.value))
      }}
    >
      {query.data?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
  return { query, chosen, select }
}
