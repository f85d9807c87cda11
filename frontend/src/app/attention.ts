/** Number of alerts that need attention: shown in the title of the window, which the pages before the login share. */
import { ref } from 'vue'

export const waitingAlerts = ref(0)
