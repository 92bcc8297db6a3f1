import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startPage } from '#ui/plain/start-page.tsx'
import { router } from './routes.tsx'
import { queries } from './session/queries.ts'
import { SpokenTexts } from './session/spoken-texts.tsx'

startPage(
  <QueryClientProvider client={queries}>
    <SpokenTexts>
      <RouterProvider router={router} />
    </SpokenTexts>
  </QueryClientProvider>,
)
