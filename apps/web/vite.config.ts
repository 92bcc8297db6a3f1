import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { doors } from './build/doors.ts'
import { precompressed } from './build/precompressed.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// Declaring an endpoint does nothing but declare it: those that a page does not call are left out of it.
const contractOnDemand = {
  manualPureFunctions: ['Type', 'endpoint', 'Line', 'Text', 'Word', 'Page', 'QueryList', 'Sort'],
}

// The mode is the door that is built, see build/main.ts.
export default defineConfig(({ mode }) => ({
  root: at('.'),
  plugins: [react(), tailwind(), precompressed()],
  resolve: {
    alias: {
      // Checking is the server's; the schemas of the contract would be a third of what a Portal page loads.
      typebox: at('build/without-schemas.ts'),
    },
  },
  worker: { format: 'es', rolldownOptions: { treeshake: contractOnDemand } },
  build: {
    outDir: at('dist'),
    emptyOutDir: mode === doors[0],
    // Nothing inline: the policy of our pages allows neither inline scripts nor data: addresses of code and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      treeshake: contractOnDemand,
      input: at(`${mode}.html`),
    },
  },
}))
