import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startPage } from '#ui/plain/start-page.tsx'
import { router } from './routes.tsx'
import { queries } from './session/queries.ts'
import { SpokenTexts } from './session/spoken-texts.tsx'
import { onSessionEnd } from './session/token.ts'

// The routes look again whether one may be where one is.
onSessionEnd(() => void router.invalidate())

startPage(
  <QueryClientProvider client={queries}>
    <SpokenTexts>
      <RouterProvider router={router} />
    </SpokenTexts>
  </QueryClientProvider>,
)
