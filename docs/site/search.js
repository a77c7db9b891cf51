/* Leaves those sections of the list that have all the words. */
(function () {
    var field = document.getElementById('words'), said = document.getElementById('found');
    var all = [].slice.call(document.querySelectorAll('.found li'));
    function look() {
        var words = field.value.toLowerCase().split(/\s+/), count = 0;
        all.forEach(function (item) {
            var text = item.textContent.toLowerCase() + ' ' + item.getAttribute('data-words');
            item.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
            count += !item.hidden;
        });
        said.textContent = count + ' of ' + all.length + ' sections';
    }
    field.parentNode.hidden = false;
    field.oninput = look;
    field.value = decodeURIComponent(location.hash.slice(1));
    look();
})();
