import '@/app/theme.css'
import { VueQueryPlugin } from '@tanstack/vue-query'
import nuxtUi from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from '@/app/App.vue'
import { setUpClient } from '@/app/client'
import { makeI18n } from '@/app/i18n'
import { makeQueryClient } from '@/app/queries'
import { makeRouter } from '@/app/router'
import { useSession } from '@/app/session'

const app = createApp(App).use(createPinia())
const session = useSession()
const queryClient = makeQueryClient()
const router = makeRouter(session)

setUpClient({
  csrfToken: () => session.csrfToken,
  onLoginEnded: () => {
    if (!session.username) return
    session.forget()
    queryClient.clear()
    void router.push({ name: 'login', query: { next: router.currentRoute.value.fullPath } })
  },
})

app.use(makeI18n()).use(VueQueryPlugin, { queryClient }).use(router).use(nuxtUi).mount('#app')
