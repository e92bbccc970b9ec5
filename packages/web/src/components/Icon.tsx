/** Icons of 16 by 16, drawn with the color of the text. */
const PATHS = {
  calls:
    "M3.5 2.5h2.2l1 2.8-1.5 1.1a8 8 0 0 0 4.4 4.4l1.1-1.5 2.8 1v2.2a1.5 1.5 0 0 1-1.6 1.5A10.5 10.5 0 0 1 2 4.1 1.5 1.5 0 0 1 3.5 2.5z",
  dashboards: "M2.5 2.5h4.5v6h-4.5zM9 2.5h4.5v3.5H9zM9 8h4.5v5.5H9zM2.5 10.5H7v3H2.5z",
  results: "M3 8.5l3 3 7-7.5M2.5 13.5h11",
  tests: "M6 2v4L2.8 12a1.5 1.5 0 0 0 1.3 2h7.8a1.5 1.5 0 0 0 1.3-2L10 6V2M5 2h6M4.5 10h7",
  settings:
    "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.5v1.8M8 12.7v1.8M1.5 8h1.8M12.7 8h1.8M3.4 3.4l1.3 1.3M11.3 11.3l1.3 1.3M3.4 12.6l1.3-1.3M11.3 4.7l1.3-1.3",
  filter: "M2 3.5h12M4.5 8h7M6.5 12.5h3",
  facets: "M2.5 3.5h8M2.5 8h11M2.5 12.5h5",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  download: "M8 2.5v7.5M5 7.2l3 3 3-3M2.5 13.5h11",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  chevron: "M4 6l4 4 4-4",
  left: "M10 3.5L5.5 8l4.5 4.5",
  right: "M6 3.5L10.5 8 6 12.5",
  up: "M4 10l4-4 4 4",
  play: "M5 3.2v9.6l7.5-4.8z",
  pause: "M5.2 3.5v9M10.8 3.5v9",
  check: "M3 8.5l3.3 3.3L13 5",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v3h-3",
  out: "M9.5 2.5h-6v11h6M7 8h7M11.5 5.5L14 8l-2.5 2.5",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  edit: "M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.4 4.4l2.2 2.2",
  grip: "M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01",
  share: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  upload: "M8 10V2.5M5 5.3l3-3 3 3M2.5 13.5h11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  tool: "M9.8 6.2a3.2 3.2 0 0 0 4-4l-2 2-1.8-.2-.2-1.8 2-2a3.2 3.2 0 0 0-4 4L2.5 9.5a1.5 1.5 0 0 0 2.1 2.1z",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  shield: "M8 1.8l5 1.9v3.8c0 3.2-2.1 5.4-5 6.7-2.9-1.3-5-3.5-5-6.7V3.7z"
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    viewBox="0 0 16 16"
    width="16"
    height="16"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === "more" || name === "grip" ? 2.4 : 1.4}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
)

export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0f766e" />
    <path d="M8 14v4M12.5 10v12M17 6.5v19M21.5 11v10M26 14v4" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
  </svg>
)
