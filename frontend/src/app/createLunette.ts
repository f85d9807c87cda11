/** Puts the parts of the application together; the page itself and the component tests start here. */
import { VueQueryPlugin } from '@tanstack/vue-query'
import nuxtUi from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import type { RouterHistory } from 'vue-router'
import { guardUnsaved } from '@/changes/unsaved'
import { setUpClient } from '@/server/client'
import { useConnection } from '@/server/connection'
import { makeQueryClient } from '@/server/queries'
import { useSession } from '@/session/session'
import App from './App.vue'
import { makeI18n } from './i18n'
import { watchForMissingParts } from './missingPart'
import { makeRouter } from './router'

export function createLunette(history: RouterHistory) {
  const app = createApp(App).use(createPinia())
  const session = useSession()
  const connection = useConnection()
  const queryClient = makeQueryClient()
  const router = makeRouter(session, history)
  guardUnsaved(router)
  watchForMissingParts(router)

  function toLogin(): void {
    queryClient.clear()
    void router.push({ name: 'login', query: { next: router.currentRoute.value.fullPath } })
  }

  setUpClient({
    csrfToken: () => session.csrfToken,
    onAnswer: connection.heard,
    onNoAnswer: connection.missed,
    onLoginEnded: () => {
      if (!session.username) return
      session.forget()
      toLogin()
    },
    onSetUpRequired: () => {
      if (!session.isReady) return
      void session
        .load()
        .catch(() => undefined)
        .then(() => {
          const isThere = router.currentRoute.value.name === 'login'
          if (session.username && !session.isReady && !isThere) toLogin()
        })
    },
  })

  app.use(makeI18n()).use(VueQueryPlugin, { queryClient }).use(router).use(nuxtUi)
  return { app, router, queryClient }
}
