/* A button at each block of code, which copies it. */
document.querySelectorAll('pre').forEach(function (pre) {
    var button = document.createElement('button'), box = document.createElement('div');
    if (!navigator.clipboard) return;
    box.className = 'copy';
    button.type = 'button';
    button.textContent = 'Copy';
    button.onclick = function () {
        navigator.clipboard.writeText(pre.textContent.replace(/\n$/, '')).then(function () {
            button.textContent = 'Copied';
            setTimeout(function () { button.textContent = 'Copy'; }, 1500);
        });
    };
    pre.parentNode.insertBefore(box, pre);
    box.appendChild(pre);
    box.appendChild(button);
});
