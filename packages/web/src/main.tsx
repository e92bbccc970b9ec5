import "./locale.js"
import "./styles/base.css"
import "./styles/controls.css"
import "./styles/layout.css"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "./api/client.js"
import { setTheme, theme } from "./components/theme.js"
import { router } from "./router.js"

setTheme(theme())

const root = document.getElementById("app")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  )
}
