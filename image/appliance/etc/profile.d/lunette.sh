# Completion of `lunette` at the console. The package bash-completion, where it is installed, loads the same file itself.
if [ -n "$BASH_VERSION" ] && [ -r /usr/share/bash-completion/completions/lunette ]; then
    . /usr/share/bash-completion/completions/lunette
fi
