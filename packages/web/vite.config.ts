import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

/** `vite` serves the app for development, with the API of a server on port 8080. */
const api = Object.fromEntries(
  ["/observability", "/test_framework", "/dashboards", "/user", "/credits", "/jobs", "/repohost"].map((path) => [
    path,
    { target: "http://127.0.0.1:8080", changeOrigin: false }
  ])
)

export default defineConfig({
  // Relative, since the server may have a base path, which it writes into index.html.
  base: "./",
  plugins: [react()],
  resolve: { conditions: ["@earshot/source", "module", "browser", "development|production"] },
  build: {
    outDir: "dist/app",
    manifest: true,
    target: "es2022",
    // The Content-Security-Policy allows no data URLs but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false
  },
  server: { proxy: api }
})
