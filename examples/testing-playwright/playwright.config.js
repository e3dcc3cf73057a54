import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

// The system's browser, if there is one. Otherwise that of `npx playwright install chromium`.
const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(
  (path) => path && existsSync(path),
)

export default defineConfig({
  testMatch: '*.spec.js',
  reporter: 'list',
  use: {
    launchOptions: {
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    },
  },
})
